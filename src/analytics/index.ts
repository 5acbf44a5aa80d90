export { arpuMinor, arrMinor, churnRate, ltvMinor, mrrMinor, successRate } from './formulas.ts'
export { type AnalyticsOverview, analyticsOverview, type PeriodMetrics } from './overview.ts'
export { createMetricsRollupEngine, rebuildMetrics, rollUpMetrics } from './roll-up-metrics.ts'
