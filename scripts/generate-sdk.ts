// Generates the types of the clients from the API documents of this checkout: `npm run sdk:generate`.
// The generator has its own package, sdk/generator, because it does not run on our version of TypeScript.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documentsForTypes, stamped, TYPES_FILES, type TypedSurface } from './sdk-types.ts'

const GENERATOR = fileURLToPath(new URL('../sdk/generator', import.meta.url))
const run = (command: string, args: string[]) => execFileSync(command, args, { stdio: 'inherit', cwd: GENERATOR })

const dir = await mkdtemp(join(tmpdir(), 'perennial-sdk-'))
try {
  const documents = await documentsForTypes()
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  for (const surface of Object.keys(TYPES_FILES) as TypedSurface[]) {
    const document = documents[surface]
    const [source, output] = [join(dir, `${surface}.json`), join(dir, `${surface}.ts`)]
    await writeFile(source, document)
    run(process.execPath, ['node_modules/openapi-typescript/bin/cli.js', source, '--output', output])
    await writeFile(TYPES_FILES[surface], stamped(await readFile(output, 'utf8'), document))
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
