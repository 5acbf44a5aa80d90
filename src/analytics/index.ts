export { arpuMinor, arrMinor, churnRate, ltvMinor, mrrMinor, successRate } from './formulas.ts'
export { createMetricsRollupEngine } from './metrics-rollup-engine.ts'
export { type AnalyticsOverview, analyticsOverview, type PeriodMetrics } from './overview.ts'
export { rebuildMetrics, rollUpMetrics } from './roll-up-metrics.ts'
