"""Files in, columns out: all common formats of judgments and scores, recognised by their content."""

from tiecore.formats.limits import Limits, limited, limits_in_force
from tiecore.formats.reading import read
from tiecore.formats.records import Records, Role, as_feature

__all__ = ["Limits", "Records", "Role", "as_feature", "limited", "limits_in_force", "read"]
