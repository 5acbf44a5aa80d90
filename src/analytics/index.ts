export { createFiguresEngine, foldFigures, rebuildFigures } from './fold-figures.ts'
export { arpuMinor, arrMinor, churnRate, ltvMinor, mrrMinor, successRate } from './formulas.ts'
export { type AnalyticsOverview, analyticsOverview, type PeriodFigures } from './overview.ts'
