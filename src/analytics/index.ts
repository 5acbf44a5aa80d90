export { createFiguresEngine, foldFigures } from './fold-figures.ts'
