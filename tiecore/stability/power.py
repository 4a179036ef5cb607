import numpy as np


def queries_needed(difference, sd, *, tie_variance):
    z = 7.85
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.where(difference > 0, np.ceil(z * sd**2 / difference**2), np.inf)
        b = np.where(difference > 0, np.ceil(z * (sd**2 + tie_variance) / difference**2), np.inf)
    return a, b
