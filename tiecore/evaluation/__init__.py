"""Values of measures: computed, held, summed up."""
