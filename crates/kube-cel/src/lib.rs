//! CEL as the API server runs it: which functions each version of Kubernetes has, what they do and what they cost.

mod amount;
