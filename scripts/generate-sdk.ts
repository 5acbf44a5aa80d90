// Generates the client's types from the API document of this checkout: `npm run sdk:generate`.
// The generator has its own package, sdk/generator, because it does not run on our version of TypeScript.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documentForTypes, stamped, TYPES_FILE } from './sdk-types.ts'

const GENERATOR = fileURLToPath(new URL('../sdk/generator', import.meta.url))
const run = (command: string, args: string[]) => execFileSync(command, args, { stdio: 'inherit', cwd: GENERATOR })

const dir = await mkdtemp(join(tmpdir(), 'perennial-sdk-'))
try {
  const document = await documentForTypes()
  const [source, output] = [join(dir, 'openapi.json'), join(dir, 'openapi.ts')]
  await writeFile(source, document)
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  run(process.execPath, ['node_modules/openapi-typescript/bin/cli.js', source, '--output', output])
  await writeFile(TYPES_FILE, stamped(await readFile(output, 'utf8'), document))
} finally {
  await rm(dir, { recursive: true, force: true })
}
