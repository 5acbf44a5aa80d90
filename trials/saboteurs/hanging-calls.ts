import type { Saboteur } from './saboteur.ts'

const RUN = ['trials/run.ts', 'hanging-calls', '7']

export const hangingCallsSaboteurs: Record<string, Saboteur> = {
  'a run waits for every call that it sent': {
    trial: 'hanging-calls',
    run: RUN,
    trialThen: { failsWith: 'calls that hang have held up other charges' },
    edits: [
      {
        file: 'src/kit/engines/flights.ts',
        from: 'const areMostEnded = () => ended.length > 0 && leftOfRound() <= round.length * (1 - ENDED_SHARE)',
        to: 'const areMostEnded = () => ended.length > 0 && leftOfRound() + ENDED_SHARE < 0'
      }
    ]
  },
  'all stores share the places of calls': {
    trial: 'hanging-calls',
    run: RUN,
    trialThen: { failsWith: 'have held up' },
    edits: [
      {
        file: 'src/platform/connectors.ts',
        from: 'const ofStore = limits.get(storeId) ?? { budget: new CostBudget(nodes), window: new CallWindow() }\n    limits.set(storeId, ofStore)',
        to: 'const ofStore = limits.get(0) ?? { budget: new CostBudget(nodes), window: new CallWindow() }\n    limits.set(storeId * 0, ofStore)'
      }
    ]
  },
  'as many calls are sent when the platform throttles': {
    trial: 'hanging-calls',
    run: RUN,
    trialThen: { failsWith: 'no fewer calls while the platform throttles' },
    edits: [
      {
        file: 'src/platform/wire/call-window.ts',
        from: 'this.#limit = Math.max(1, this.#limit / 2)',
        to: 'this.#limit = Math.max(1, this.#limit)'
      }
    ]
  }
}
