//! Secrets inside of texts, as commands and connection strings hold them: `--password=x`, `--password x`, `PASSWORD=x`,
//! `Password=x;`, `Bearer x`, and the short flags of programs that are known to take a password with them.

use std::ops::Range;

use trueline_diagnostic::is_secret_name;

/// The secrets in a command or argument, as ranges of it.
pub(super) fn in_text(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // A word by itself holds one only after `=` or `-p`, and most values are one word.
    let is_one_word =
        text.bytes().all(|byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b'\'' | b'`' | b'='));
    if is_one_word && !text.starts_with("-p") {
        return found;
    }
    let words = words(text);
    // A short flag means a password only to some programs, and only up to the end of their command.
    let mut program = None;
    for (index, word) in words.iter().enumerate() {
        let typed = text.get(word.clone()).unwrap_or_default();
        let next = words.get(index + 1);
        if ends_command(typed) {
            program = None;
        }
        program = program_of(typed).or(program);
        found.extend(
            assigned(typed).into_iter().map(|value| word.start + value.start..word.start + value.end),
        );
        let attached = program.and_then(|program| attached(program, typed));
        found.extend(attached.map(|start| word.start + start..word.end));
        let value = next.and_then(|next| Some((next, text.get(next.clone())?)));
        let Some((next, value)) = value.filter(|(_, value)| is_value(value)) else { continue };
        let is_flag = typed.starts_with('-') && !typed.contains('=') && names_secret(typed);
        // Only a quotation mark is between a name and its value: `TOKEN='x'`.
        let is_quoted = typed.strip_suffix('=').is_some_and(names_secret) && next.start == word.end + 1;
        let is_taken = program.is_some_and(|program| takes_password(program, typed));
        if is_flag || is_quoted || announces(typed) || is_taken {
            found.push(next.start + user_of(program, typed, value)..next.end);
        }
    }
    found
}

/// Whether an item of a list, such as `--password`, says that the next one is a secret.
pub(super) fn is_secret_flag(item: &str) -> bool {
    item.starts_with('-') && !item.contains(['=', ' ']) && names_secret(item)
}

/// Whether an item of a list is a value rather than the next flag, or a reference to one.
pub(super) fn is_value(item: &str) -> bool {
    !item.is_empty() && !item.starts_with(['-', '$', '|', '&', '<', '>', ';']) && !item.starts_with("{{")
}

fn names_secret(flag: &str) -> bool {
    is_secret_name(flag.trim_start_matches('-'))
}

/// The words of a command: what is between spaces, quotation marks and the signs of a shell.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_between = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`');
    let mut words = Vec::new();
    let mut start = None;
    for (index, letter) in text.char_indices() {
        match (is_between(letter), start) {
            (false, None) => start = Some(index),
            (true, Some(from)) => {
                words.push(from..index);
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| from..text.len()));
    words
}

/// The values of all `name=value` in a word whose name is that of a secret. They end where the next part of a connection
/// string or of an address begins.
fn assigned(word: &str) -> Vec<Range<usize>> {
    const ENDS: [char; 2] = [';', '&'];
    let mut found = Vec::new();
    let mut from = 0;
    for (sign, _) in word.match_indices('=') {
        if sign < from {
            continue;
        }
        let before = word.get(from..sign).unwrap_or_default();
        let name = before.rsplit([';', '&', '?', ',', '[', '{', '(', ':']).next().unwrap_or(before);
        from = sign + 1;
        if !names_secret(name) {
            continue;
        }
        let rest = word.get(from..).unwrap_or_default();
        let length = rest.find(ENDS).unwrap_or(rest.len());
        let value = rest.get(..length).unwrap_or_default().trim_end_matches([',', ']', '}', ')']);
        if is_value(value) {
            found.push(from..from + value.len());
        }
        from += length;
    }
    found
}

/// Whether a word says that the next is a secret, as headers do.
fn announces(word: &str) -> bool {
    matches!(word, "Bearer" | "Basic")
}

fn ends_command(word: &str) -> bool {
    matches!(word, "|" | "||" | "&&" | ";") || word.ends_with(';')
}

/// Programs whose short flags take a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// `-pVALUE`.
    Mysql,
    /// `-p VALUE` and `-pVALUE`.
    Sshpass,
    /// `-a VALUE`.
    Redis,
    /// `-u USER:VALUE`.
    Curl,
}

fn program_of(word: &str) -> Option<Program> {
    match word.rsplit(['/', '[', ',']).next().unwrap_or(word) {
        "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mariadb" | "mariadb-dump"
        | "mariadb-admin" => Some(Program::Mysql),
        "sshpass" => Some(Program::Sshpass),
        "redis-cli" => Some(Program::Redis),
        "curl" => Some(Program::Curl),
        _ => None,
    }
}

fn takes_password(program: Program, flag: &str) -> bool {
    match program {
        Program::Mysql => false,
        Program::Sshpass => flag == "-p",
        Program::Redis => flag == "-a",
        Program::Curl => matches!(flag, "-u" | "--user"),
    }
}

/// Where the secret begins in a value: what curl takes begins with the name of a user.
fn user_of(program: Option<Program>, flag: &str, value: &str) -> usize {
    match program {
        Some(Program::Curl) if takes_password(Program::Curl, flag) => {
            value.find(':').map_or(0, |colon| colon + 1)
        }
        _ => 0,
    }
}

/// Where the secret begins in a flag that holds it.
fn attached(program: Program, flag: &str) -> Option<usize> {
    let takes = matches!(program, Program::Mysql | Program::Sshpass);
    (takes && flag.starts_with("-p") && flag.len() > 2 && is_value(flag.get(2..)?)).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut shown = text.to_owned();
        let mut found = in_text(text);
        found.sort_by_key(|range| std::cmp::Reverse(range.start));
        found.dedup();
        found.into_iter().for_each(|range| shown.replace_range(range, "*"));
        shown
    }

    #[test]
    fn credentials_of_commands_are_found() {
        for (text, expected) in [
            ("--password=hunter9", "--password=*"),
            ("[--password=hunter9, -x]", "[--password=*, -x]"),
            ("run --db-password hunter9 --x y", "run --db-password * --x y"),
            ("PGPASSWORD=a DB_PASSWORD=hunter9 psql", "PGPASSWORD=* DB_PASSWORD=* psql"),
            ("export API_TOKEN='hunter9'", "export API_TOKEN='*'"),
            ("Server=h;User Id=u;Password=hunter9;Timeout=5", "Server=h;User Id=u;Password=*;Timeout=5"),
            ("AccountKey=abc==;x=1", "AccountKey=*;x=1"),
            ("jdbc:mysql://h/d?user=a&password=hunter9&x=1", "jdbc:mysql://h/d?user=a&password=*&x=1"),
            ("curl -H \"Authorization: Bearer hunter9\"", "curl -H \"Authorization: Bearer *\""),
            ("curl -u me:hunter9 https://h", "curl -u me:* https://h"),
            ("mysql -uroot -phunter9", "mysql -uroot -p*"),
            ("mysql -phunter9 -e x", "mysql -p* -e x"),
            ("sshpass -p hunter9 ssh h", "sshpass -p * ssh h"),
            ("redis-cli -a hunter9 ping", "redis-cli -a * ping"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn other_arguments_are_shown() {
        for text in [
            "--password=$(DB_PASSWORD)",
            "--password $DB_PASSWORD",
            "--password {{ .Values.password }}",
            "--password-file=/run/x",
            "--token-ttl=5m --token-path /x",
            "mkdir -p /data",
            "nc -p 80",
            "mysql -u root; mkdir -p/data",
            "--tokenizer=bpe --key=a",
            "a = b",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
