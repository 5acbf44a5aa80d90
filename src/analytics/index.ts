export { createFiguresEngine, foldFigures, rebuildFigures } from './fold-figures.ts'
