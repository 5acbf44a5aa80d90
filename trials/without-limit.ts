const NO_END = { perMinute: 1_000_000_000, perDay: null }

/** Tariffs for stores of a trial that makes more requests than any tariff has. */
export const WITHOUT_LIMIT = { starter: NO_END, growth: NO_END, enterprise: NO_END }
