import { dirname } from 'node:path'
import { type Breach, isSource, isTest, type Tree } from './tree.ts'

/** The limit of `app`, which only assembles the parts: rules belong into modules. */
const MAX_APP_LINES = 1_200
/** More files than this in one folder, whatever they are, are cut into inner folders. */
const MAX_FILES = 26

/** Reports `app` above its line limit, and folders with too many files. */
export function sizeBreaches(tree: Tree): Breach[] {
  const sources = [...tree].filter(([file]) => isSource(file) && !isTest(file))
  const lines = sources
    .filter(([file]) => file.startsWith('src/app/'))
    .reduce((sum, [, source]) => sum + source.split('\n').length - 1, 0)
  const ofApp =
    lines < MAX_APP_LINES ? [] : [{ file: 'src/app', line: 0, reason: `has ${lines} lines, ${MAX_APP_LINES} at most` }]
  const folders = Map.groupBy(sources, ([file]) => dirname(file))
  const full = [...folders].filter(([, files]) => files.length > MAX_FILES)
  return [
    ...ofApp,
    ...full.map(([file, { length }]) => ({
      file,
      line: 0,
      reason: `has ${length} files, ${MAX_FILES} at most: cut it into inner folders`
    }))
  ]
}
