//! Just enough of a shell line to see which programs and scripts it starts.

/// The simple commands of a shell line, each as its words.
///
/// Parsing stops at anything that only a shell can evaluate (a command substitution, a here-document, an open
/// quote); what was read up to there is still valid.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars().peekable();
    let mut whole = true;
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                whole = false;
                for inside in characters.by_ref() {
                    if inside == character {
                        whole = true;
                        break;
                    }
                    text.push(inside);
                }
                if !whole || (character == '"' && text.contains("$(")) {
                    whole = false;
                    break;
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '`' | '(' | ')' | '<' | '{' if word.is_none() || character != '{' => {
                whole = false;
                break;
            }
            '>' => {
                // The target of a redirection is not an argument; a number before it is a descriptor.
                word = word.filter(|word| !word.chars().all(|digit| digit.is_ascii_digit()));
                words.extend(word.take());
                while characters.next_if(|next| matches!(next, '>' | '&' | ' ')).is_some() {}
                while characters.next_if(|next| !next.is_whitespace() && !";|&".contains(*next)).is_some() {}
            }
            ';' | '|' | '&' | '\n' => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            character if character.is_whitespace() => words.extend(word.take()),
            '#' if word.is_none() => break,
            character => word.get_or_insert_default().push(character),
        }
    }
    if whole {
        words.extend(word);
    }
    commands.push(words);
    // `NAME=value program` sets a variable for the program; the program is the next word.
    for command in &mut commands {
        let assignments = command.iter().take_while(|word| is_assignment(word)).count();
        command.drain(..assignments);
    }
    commands.retain(|command| !command.is_empty());
    commands
}

/// Whether a word sets a variable.
pub(crate) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_into_commands() {
        for (line, expected) in [
            ("claude --version", "claude,--version"),
            ("bash scripts/x.sh", "bash,scripts/x.sh"),
            ("A=1 B='x y' run it", "run,it"),
            ("test -n \"$KEY\" && echo 'a; b' || exit 1", "test,-n,$KEY|echo,a; b|exit,1"),
            ("ln -sf $HOME/a $HOME/b 2>/dev/null || true", "ln,-sf,$HOME/a,$HOME/b|true"),
            ("a > out.txt; b", "a|b"),
            ("kill -0 $(cat x)", "kill,-0"),
            ("echo `date` x", "echo"),
            ("echo \"$(date)\" x", "echo"),
            ("echo 'open", "echo"),
            ("a b\\ c # comment", "a,b c"),
            ("cat <<EOF", "cat"),
            ("( cd x )", ""),
            ("docker ps --format '{{.Status}}'", "docker,ps,--format,{{.Status}}"),
            ("${HOME}/bin/x", "${HOME}/bin/x"),
            ("one\ntwo", "one|two"),
            ("", ""),
        ] {
            let found: Vec<String> = commands(line).iter().map(|words| words.join(",")).collect();
            assert_eq!(found.join("|"), expected, "{line}");
        }
    }
}
