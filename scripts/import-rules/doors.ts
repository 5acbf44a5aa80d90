import { type Breach, lineAt, MODULES, SECOND_DOORS, type Tree } from './tree.ts'

const DOORS = [...MODULES.map((name) => `src/${name}/index.ts`), ...Object.values(SECOND_DOORS).map(({ file }) => file)]

/**
 * A name that two doors export, and a door that exports everything of a file. `export * as memberJobs` names what it
 * exports: a registry, to which a line of its file adds an entry.
 */
export function doorBreaches(tree: Tree): Breach[] {
  const first = new Map<string, string>()
  return DOORS.flatMap((file): Breach[] => {
    const source = tree.get(file)
    if (source === undefined) return []
    const breaches: Breach[] = [...source.matchAll(/^export \*(?! as )/gm)].map(({ index }) => ({
      file,
      line: lineAt(source, index),
      reason: 'a door names what it exports'
    }))
    for (const { name, line } of exportsOf(source)) {
      const other = first.get(name)
      if (other && other !== file) breaches.push({ file, line, reason: `exports ${name}, as ${other} does` })
      else first.set(name, file)
    }
    return breaches
  })
}

function exportsOf(source: string): { name: string; line: number }[] {
  return [...source.matchAll(/^export (?:(?:type )?\{([^}]*)\}|\* as (\w+) )/gm)].flatMap((match) =>
    (match[1] ?? match[2]!)
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
      .map((item) => ({ name: item.split(/\s+/).at(-1)!, line: lineAt(source, match.index) }))
  )
}
