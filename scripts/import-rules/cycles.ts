import { dirname } from 'node:path'
import { type Breach, importsOf, isTest, moduleOf, type Tree, targetOf } from './tree.ts'

type Graph = Map<string, Set<string>>

/** Files that import each other, types included, over any number of files between them. */
export function cycleBreaches(tree: Tree): Breach[] {
  const graph: Graph = new Map()
  for (const [file, source] of tree) {
    if (!file.endsWith('.ts') || isTest(file)) continue
    const targets = importsOf(source).flatMap(({ specifier }) => targetOf(file, specifier) ?? [])
    graph.set(file, new Set(targets.filter((target) => tree.has(target))))
  }
  return cyclesOf(graph).map((cycle) => ({
    file: cycle[0]!,
    line: 0,
    reason: `imports itself in a circle: ${[...cycle, cycle[0]].join(' → ')}`
  }))
}

/** Inner folders of a module that import each other both ways. The module's own files lie above all of them. */
export function folderBreaches(tree: Tree): Breach[] {
  const graph: Graph = new Map()
  for (const [file, source] of tree) {
    const module = moduleOf(file)
    const folder = dirname(file)
    if (module === null || isTest(file) || folder === `src/${module}`) continue
    const used = graph.get(folder) ?? graph.set(folder, new Set()).get(folder)!
    for (const { specifier } of importsOf(source)) {
      const target = targetOf(file, specifier)
      if (!target || moduleOf(target) !== module || specifier.startsWith('#')) continue
      const other = dirname(target)
      if (other !== folder && other !== `src/${module}`) used.add(other)
    }
  }
  return cyclesOf(graph).map((cycle) => ({
    file: cycle[0]!,
    line: 0,
    reason: `inner folders have an order, but these import each other: ${[...cycle, cycle[0]].join(' → ')}`
  }))
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
