import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of a path, as it came in the request; none when no route has it. */
    methodsOf(path: string): string[]
  }
}

/** Keeps the paths of all routes that are registered after this, for those who ask one by a method that it does not take. */
export function trackKnownPaths(app: FastifyInstance): void {
  const known: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const parts = url.split('/').map((part) => {
      // A parameter may say which values it takes: `:area(…)`.
      if (part.startsWith(':')) return /\((.+)\)$/.exec(part)?.[1] ?? '[^/]*'
      return RegExp.escape(part)
    })
    known.push({ pattern: new RegExp(`^${parts.join('/')}$`), methods: [method].flat() })
  })
  app.decorate('methodsOf', (path) => {
    const methods = known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    return [...new Set(methods)].sort()
  })
}
