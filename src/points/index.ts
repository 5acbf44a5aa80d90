export { adjustPoints } from './adjust-points.ts'
export { handOnPoints } from './hand-on-points.ts'
