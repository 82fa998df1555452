//! What a name that nobody knows was most likely meant to be.
//!
//! By hand, and not `strsim`: 20 lines against a dependency of every build.

/// The candidate that `name` is most likely a slip of: at most a third of its letters differ, or it is the one that
/// PyTorch's name for the same thing means.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    const SYNONYMS: &[(&str, &str)] = &[
        ("in_features", "inputs"),
        ("out_features", "outputs"),
        ("in_channels", "inputs"),
        ("out_channels", "outputs"),
        ("kernel_size", "kernel"),
        ("num_features", "features"),
        ("normalized_shape", "features"),
        ("num_embeddings", "entries"),
        ("embedding_dim", "features"),
        ("embed_dim", "features"),
        ("num_heads", "heads"),
        ("p", "rate"),
        ("eps", "epsilon"),
        ("elementwise_affine", "affine"),
        ("start_dim", "from"),
        ("scale_factor", "scale"),
    ];
    for &(_, own) in SYNONYMS.iter().filter(|(theirs, _)| *theirs == name) {
        if let Some(found) = candidates.clone().find(|candidate| *candidate == own) {
            return Some(found);
        }
    }
    let (distance, found) = candidates.map(|candidate| (edit_distance(name, candidate), candidate)).min()?;
    (distance * 3 <= name.chars().count().max(3)).then_some(found)
}

/// How many letters must be inserted, deleted, replaced or exchanged with the next to turn one into the other (the
/// optimal string alignment distance).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
