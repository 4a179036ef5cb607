"""An order of features in which those that rank alike stand together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_UNKNOWN = 2.0
"""Distance of two features whose coefficient is not defined: as far apart as any."""


def alike_order(means: pd.DataFrame) -> list[str]:
    """Return the features so that those that rank alike stand together.

    The features are clustered by their mean distance, 1 less the coefficient (average linkage), and the branches are
    turned so that neighbours are as alike as they can be.

    Parameters
    ----------
    means
        Features × features: similarity, at most 1, NaN where it is not defined.

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["clicks", "age", "dwell"]
    >>> alike_order(pd.DataFrame([[1, -0.2, 0.9], [-0.2, 1, 0.1], [0.9, 0.1, 1]], names, names))
    ['age', 'dwell', 'clicks']
    """
    names = [str(name) for name in means.index]
    if len(names) < 3:
        return names
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    values = means.to_numpy(dtype=float)
    distance = np.maximum(1 - (values + values.T) / 2, 0)  # the coefficient may have a direction
    distance[np.isnan(distance)] = _UNKNOWN
    np.fill_diagonal(distance, 0)
    order: list[int] = leaves_list(linkage(squareform(distance), method="average", optimal_ordering=True)).tolist()
    return [names[place] for place in order]
