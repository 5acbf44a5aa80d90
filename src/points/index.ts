export { adjustPoints } from './adjust-points.ts'
export { transferPoints } from './transfer-points.ts'
