import type { Saboteur } from './saboteur.ts'

const run = ['trials/run.ts', 'simulated-store-shuffled', '5', '1', '--rounds', '30']

export const simulatedStoreSaboteurs: Record<string, Saboteur> = {
  'an older report of a dispute replaces a newer one': {
    trial: 'simulated-store',
    run,
    trialThen: { failsWith: 'order ' },
    edits: [
      {
        file: 'src/orders/reported/record-disputes.ts',
        from: 'const isNewer = age > 0 ||',
        to: 'const isNewer = age !== 0 ||'
      }
    ]
  },
  'cancelled orders count in the first-order dates': {
    trial: 'simulated-store',
    run,
    trialThen: { failsWith: 'first_orders_right' },
    edits: [
      {
        file: 'src/order-effects/first-orders.ts',
        from: '[]) and cancelled_at is null),',
        to: '[])),'
      }
    ]
  },
  'somebody whose membership is paused counts as active': {
    trial: 'simulated-store',
    run,
    trialThen: { failsWith: 'order ' },
    edits: [
      {
        file: 'src/order-effects/active-tiers.ts',
        from: "a.kind in ('resumed', 'reactivated') end",
        to: "a.kind in ('resumed', 'reactivated', 'paused') end"
      }
    ]
  },
  'the tags of an order are decided once': {
    trial: 'simulated-store',
    run,
    trialThen: { failsWith: 'order_tags_follow' },
    edits: [
      {
        file: 'src/order-effects/refresh-orders.ts',
        from: 'kind && !past.has(order.id) ? [{',
        to: 'kind && !past.has(order.id) && order.classifiedAt === null ? [{'
      }
    ]
  },
  'what an order gives back of credit is somebody’s change': {
    trial: 'simulated-store',
    run,
    trialThen: { failsWith: 'credit spent on order' },
    edits: [
      {
        file: 'src/spending/platform-account/apply-transactions.ts',
        from: "const isChange = ({ kind, orderId }: JudgedTransaction) => kind !== 'returned' || orderId === null",
        to: "const isChange = ({ kind }: JudgedTransaction) => kind !== 'ours'"
      }
    ]
  }
}
