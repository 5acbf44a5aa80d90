import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url))
const PACKAGE = '@sparticuz/chromium'
const FONTS = 'perennial-fonts.conf'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

type Found = { executablePath: string; env?: Record<string, string> }

/** Why this machine has no browser for tests, or false. npm brings one for Linux (x64); elsewhere an installed one is used. */
export const noBrowser =
  installed() || isBrought()
    ? false
    : 'no Chromium: npm brings it for Linux on x64, elsewhere CHROMIUM_PATH names an installed one'

/** A headless Chromium: CHROMIUM_PATH, the one that npm brought, or an installed one. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await find()
  return chromium.launch({ executablePath, args: QUIET, env: { ...process.env, ...env } as Record<string, string> })
}

async function find(): Promise<Found> {
  if (process.env.CHROMIUM_PATH || !isBrought()) return { executablePath: installed()! }
  const folder = await unpacked()
  // The libraries and fonts that a bare Linux lacks come with it.
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, FONTS) }
  }
}

function installed(): string | undefined {
  return [process.env.CHROMIUM_PATH, ...INSTALLED].find((path) => path && existsSync(path))
}

function isBrought(): boolean {
  return process.platform === 'linux' && process.arch === 'x64' && existsSync(join(MODULES, PACKAGE))
}

/** The folder with the unpacked browser. Processes that unpack it at once do not see each other's half of it. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(MODULES, PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const cache = join(MODULES, '.cache')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(join(cache, 'unpacking-'))
  try {
    // It unpacks to the temporary folder, and the libraries only where it takes the machine for a serverless one.
    await promisify(execFile)(
      process.execPath,
      ['-e', `import('${PACKAGE}').then(({ default: it }) => it.executablePath())`],
      { cwd: MODULES, env: { ...process.env, TMPDIR: own, AWS_EXECUTION_ENV: 'nodejs22.x' } }
    )
    await writeFile(
      join(own, FONTS),
      `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`
    )
    await rename(own, folder).catch((err: unknown) => {
      if (!existsSync(folder)) throw err
    })
    return folder
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
