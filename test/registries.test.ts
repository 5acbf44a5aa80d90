// Each registry lists every entry that modules declare, once: an unlisted entry would silently do nothing.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { AuditRule } from '#kit/define-audit-rule'
import { listSettings, type SettingsSection } from '#kit/define-settings'
import type { AnyJob } from '#kit/jobs'
import type { Metric } from '#kit/metrics'
import { jobs } from '../src/app/jobs.ts'
import * as metricList from '../src/app/metric-list.ts'
import { createMetrics } from '../src/app/metrics.ts'
import * as settingsSections from '../src/app/settings-sections.ts'
import * as ruleList from '../src/audit/rule-list.ts'

const SRC = new URL('../src/', import.meta.url)

/** The exports of the modules' files with this name, with their files. */
async function declaredIn<T>(name: string): Promise<[file: string, entry: T][]> {
  const files = (await readdir(SRC, { recursive: true })).filter(
    (file) => /^(?!app|cli)/.test(file) && file.endsWith(name)
  )
  return exportsOf(files)
}

async function exportsOf<T>(files: string[]): Promise<[file: string, entry: T][]> {
  const exported = await Promise.all(
    files.map(async (file) =>
      Object.values(await import(new URL(file, SRC).href)).map((entry) => [file, entry] as const)
    )
  )
  return exported.flat() as [string, T][]
}

const repeated = (names: string[]) => names.filter((name, i) => names.indexOf(name) !== i)

test('every section of settings is listed, and no two have the same name or flag', async () => {
  const listed: SettingsSection[] = Object.values(settingsSections)
  const declared = (await declaredIn<SettingsSection>('settings.ts')).filter(([, { shape }]) => shape)
  assert.ok(declared.length > 0)
  const unlisted = declared.filter(([, section]) => !listed.includes(section))
  assert.deepEqual(
    unlisted.map(([file, { name }]) => `${file}: ${name}`),
    []
  )
  assert.deepEqual(repeated(listed.map(({ name }) => name)), [])
  assert.deepEqual(repeated(listed.flatMap(listSettings).map(({ setting }) => setting.flag.split(' ')[0]!)), [])
})

test('every metric is listed, and no two have the same name', async () => {
  const listed: Metric[] = Object.values(metricList)
  const declared = (await declaredIn<Metric>('metrics.ts')).filter(([, { kind, labels }]) => kind && labels)
  assert.ok(declared.length > 0)
  const unlisted = declared.filter(([, metric]) => !listed.includes(metric))
  assert.deepEqual(
    unlisted.map(([file, { name }]) => `${file}: ${name}`),
    []
  )
  await createMetrics().close()
  assert.throws(() => createMetrics([...listed, { ...listed[0]! }]), /the same name/)
})

test('every rule of the auditor is listed, and no two have the same name', async () => {
  const listed: AuditRule[] = Object.values(ruleList)
  const declared = (await declaredIn<AuditRule>('audit-rules.ts')).filter(([, { severity }]) => severity)
  assert.ok(declared.length > 0)
  const unlisted = declared.filter(([, rule]) => !listed.includes(rule))
  assert.deepEqual(
    unlisted.map(([file, { name }]) => `${file}: ${name}`),
    []
  )
  assert.deepEqual(repeated(listed.map(({ name }) => name)), [])
})

test('every job is listed, and no two have the same name', async () => {
  const sources = (await readdir(SRC, { recursive: true })).filter((file) => /^(?!kit).*(?<!\.test)\.ts$/.test(file))
  const defining = sources.filter((file) => /\bdefineJob\(/.test(readFileSync(new URL(file, SRC), 'utf8')))
  const declared = (await exportsOf<AnyJob<object>>(defining)).filter(
    ([, one]) => typeof one === 'object' && 'run' in one
  )
  assert.ok(declared.length >= defining.length && defining.length > 0)
  const unlisted = declared.filter(([, job]) => !jobs.includes(job as never))
  assert.deepEqual(
    unlisted.map(([file, { name }]) => `${file}: ${name}`),
    []
  )
  assert.deepEqual(repeated(jobs.map(({ name }) => name)), [])
})

test('every engine is listed', async () => {
  const files = await readdir(SRC, { recursive: true })
  const list = await readFile(new URL('app/engine-list.ts', SRC), 'utf8')
  // A module may have a list of its own, which is in the list.
  const ofModules = files.filter((file) => /-engines\.ts$/.test(file) && list.includes(`'../${file}'`))
  const inModules = await Promise.all(
    ofModules.map(async (file) => {
      const own = await readFile(new URL(file, SRC), 'utf8')
      return own.replaceAll("from './", `from '../${file.slice(0, file.lastIndexOf('/'))}/`)
    })
  )
  const listed = [list, ...inModules].join('')
  const declared = files.filter((file) => /-engine\.ts$/.test(file))
  // The service makes these itself: kit's with what they call, the sender because it also stops it.
  const made = declared.filter((file) => file.startsWith('kit/') || file === 'webhooks/sending/delivery-engine.ts')
  assert.deepEqual(
    declared.filter((file) => !made.includes(file) && !listed.includes(`'../${file}'`)),
    []
  )
})
