"""What the page Judges needs."""


def lacking(n_judges: int, n_systems: int, *, has_documents: bool) -> str:
    """Say what the page needs; nothing where it is there."""
    if not has_documents:
        return "This page compares judgments of documents, and a table of counts holds only their numbers."
    if n_judges < 2:
        return (
            "This page needs two or more files of judgments, such as TREC qrels of two assessors or grades of a model."
        )
    return "" if n_systems >= 2 else "This page needs at least 2 features that are no judgments."
