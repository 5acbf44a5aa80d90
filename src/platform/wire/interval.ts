/** The four intervals of contracts and selling plans. */
export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]
