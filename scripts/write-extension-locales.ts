// Writes the texts of the elements into those of the customer-account extension: `node scripts/write-extension-locales.ts`.
import { writeFile } from 'node:fs/promises'
import { LANGUAGES, localeFile, localeOf } from './extension-locales.ts'

for (const language of LANGUAGES) {
  await writeFile(localeFile(language), `${JSON.stringify(await localeOf(language), null, 2)}\n`)
}
