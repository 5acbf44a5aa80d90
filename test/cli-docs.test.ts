// docs/cli.md against the program: each command is there, and the example of the settings has every setting.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { listSettings } from '#kit/define-settings'
import * as settingsSections from '../src/app/settings-sections.ts'
import { runProgram } from '../src/program.ts'

const page = await readFile(new URL('../docs/cli.md', import.meta.url), 'utf8')

async function helpOf(...command: string[]): Promise<string> {
  let text = ''
  const out = new Writable({
    decodeStrings: false,
    write: (chunk, _, written) => {
      text += String(chunk)
      written()
    }
  }) as unknown as NodeJS.WriteStream
  assert.equal(await runProgram([...command, '--help'], { env: {}, out, err: out }), 0, command.join(' '))
  return text
}

/** The commands that a help text lists. */
const commandsIn = (help: string): string[] =>
  [...(help.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)\b/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help')

/** The part of the page whose heading names a command, perhaps with others. */
const sectionOf = (name: string): string | null =>
  page.split(/^## /m).find((section) => new RegExp(`^perennial (.*, )?${name}(, .*)?\n`).test(section)) ?? null

test('each command of the program is in docs/cli.md, under the heading of its group', async () => {
  const groups = commandsIn(await helpOf())
  assert.ok(groups.length > 30, groups.join())
  const missing: string[] = []
  for (const group of groups) {
    const section = sectionOf(group)
    if (section === null) missing.push(group)
    for (const name of commandsIn(await helpOf(group))) {
      const isNamed = new RegExp(`\\b${group} ${name}(?![a-z-])`).test(page)
      if (!isNamed) missing.push(`${group} ${name}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('the example of `store settings` has every setting of a store and no other', () => {
  const line = sectionOf('store')!
    .split('\n')
    .find((one) => one.includes('"main_plan_in_effect"'))!
  const { main_plan_in_effect: _, ...example } = JSON.parse(line)
  const paths = Object.values(settingsSections)
    .flatMap(listSettings)
    .map(({ path }) => path.join('.'))
  const shown = (value: object, before: string): string[] =>
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? shown(inner, `${before}${name}.`)
        : [before + name]
    )
  assert.deepEqual(shown(example, '').toSorted(), paths.toSorted())
})
