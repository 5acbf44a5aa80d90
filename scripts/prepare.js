// `npm ci` runs this: plain JavaScript, for whatever Node npm runs with. Builds the files that shops load (scripts/build-storefront.ts)
// and the admin interface (scripts/build-admin.ts). An installation without their build tools is allowed: the service runs without
// these files, and says so.
const PARTS = [
  { folder: 'web/storefront', build: async () => (await import('./build-storefront.ts')).buildAll() },
  { folder: 'web/admin', build: async () => (await import('./build-admin.ts')).buildAdmin() }
]

for (const { folder, build } of PARTS) {
  try {
    await build()
  } catch (err) {
    const isMissing = ['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_FILE_EXTENSION', 'MODULE_NOT_FOUND'].includes(err?.code)
    if (!isMissing) throw err
    console.warn(
      `The files of ${folder} are not built, since this installation has no build tools or no Node 26. ` +
        'The service runs without them; "npm ci" without --omit builds them.'
    )
  }
}
