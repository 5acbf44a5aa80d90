import { type Saboteur, slice } from './saboteur.ts'

const run = slice('limits-over-processes')

export const sharedLimitsSaboteurs: Record<string, Saboteur> = {
  'each process counts the requests that it gets itself': {
    trial: 'shared-limits',
    run,
    trialThen: { failsWith: 'two responses show the same rest' },
    edits: [
      {
        file: 'src/http/rate-limits/count-request.ts',
        from: 'limiter.count(storeId, family, budget)',
        to: 'limiter.count(storeId, family + process.pid, budget)'
      }
    ]
  },
  'requests that are counted together are admitted together': {
    trial: 'shared-limits',
    run,
    trialThen: { failsWith: 'two responses show the same rest' },
    edits: [
      {
        file: 'src/http/rate-limits/rate-limiter.ts',
        from: 'const admitted = place < granted',
        to: 'const admitted = granted > 0'
      }
    ]
  },
  'the limit of the day is counted and not kept': {
    trial: 'shared-limits',
    run,
    trialThen: { failsWith: 'day: two responses show the same rest' },
    edits: [
      {
        file: 'src/http/rate-limits/rate-limiter.ts',
        from: 'const granted = Math.min(...windows.map((window) => window.granted))',
        to: 'const granted = windows[0]!.granted'
      }
    ]
  },
  'a process that starts begins to count anew': {
    trial: 'shared-limits',
    run,
    trialThen: { failsWith: 'two responses show the same rest' },
    edits: [
      {
        file: 'src/http/rate-limits/rate-limiter.ts',
        from: 'export function createRateLimiter(db: Database): RateLimiter {',
        to: "export function createRateLimiter(db: Database): RateLimiter {\n  void db.inInstallation((tx) => tx.run(sql`delete from rate_windows where bucket like '%:minute'`))"
      }
    ]
  }
}
