import { type Breach, importsOf, isSource, isTest, partOf, type Tree, targetOf } from './tree.ts'

type Graph = Map<string, Set<string>>

/** Files that import each other, types included, over any number of files between them. */
export function cycleBreaches(tree: Tree): Breach[] {
  const graph: Graph = new Map()
  for (const [file, source] of tree) {
    if (!isSource(file) || isTest(file)) continue
    const targets = importsOf(source).flatMap(({ specifier }) => (specifier && targetOf(file, specifier)) ?? [])
    graph.set(file, new Set(targets.filter((target) => tree.has(target))))
  }
  return cyclesOf(graph).map((cycle) => ({
    file: cycle[0]!,
    line: 0,
    reason: `imports itself in a circle: ${[...cycle, cycle[0]].join(' → ')}`
  }))
}

/**
 * Folders beside each other, at any depth below a part, that import each other both ways. Files beside the folders are not
 * counted: they may be used by all of the folders and use them, as long as no file comes back to itself.
 */
export function folderBreaches(tree: Tree): Breach[] {
  const graph: Graph = new Map()
  for (const [file, source] of tree) {
    if (!isSource(file) || isTest(file)) continue
    for (const { specifier } of importsOf(source)) {
      const target = specifier && targetOf(file, specifier)
      if (!target || partOf(target) !== partOf(file)) continue
      const [from, to] = partingFolders(file, target)
      if (from && to) (graph.get(from) ?? graph.set(from, new Set()).get(from)!).add(to)
    }
  }
  return cyclesOf(graph).map((cycle) => ({
    file: cycle[0]!,
    line: 0,
    reason: `inner folders have an order, but these import each other: ${[...cycle, cycle[0]].join(' → ')}`
  }))
}

/** The folders beside each other in which two files lie; null for a file that lies beside the other's folder. */
function partingFolders(file: string, target: string): [string | null, string | null] {
  const [a, b] = [file.split('/'), target.split('/')]
  let depth = 0
  while (a[depth] === b[depth] && depth < Math.min(a.length, b.length)) depth++
  const folder = (path: string[]) => (path.length > depth + 1 ? path.slice(0, depth + 1).join('/') : null)
  return [folder(a), folder(b)]
}

/** One circle for each file on which a walk comes back to itself; empty when there is none. */
function cyclesOf(graph: Graph): string[][] {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (node: string) => {
    state.set(node, 'open')
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      if (state.get(next) === 'open') cycles.push(path.slice(path.indexOf(next)))
      else if (!state.has(next)) visit(next)
    }
    path.pop()
    state.set(node, 'done')
  }
  for (const node of graph.keys()) if (!state.has(node)) visit(node)
  return cycles
}
