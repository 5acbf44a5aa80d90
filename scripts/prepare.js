// `npm ci` runs this: plain JavaScript, for whatever Node npm runs with. Builds the files that shops load (scripts/build-storefront.ts).
// An installation without the bundler is allowed: the service runs without these files, and says so.
try {
  const { buildAll } = await import('./build-storefront.ts')
  await buildAll()
} catch (err) {
  const isMissing = ['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_FILE_EXTENSION', 'MODULE_NOT_FOUND'].includes(err?.code)
  if (!isMissing) throw err
  console.warn(
    'The files of web/storefront are not built, since this installation has no bundler or no Node 26. ' +
      'The service runs without them; "npm ci" without --omit builds them.'
  )
}
