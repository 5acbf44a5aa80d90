import type { Fact } from './wording.ts'

/** Names with their values. */
export const Facts = ({ facts }: { facts: Fact[] }) => (
  <s-stack gap="small-500">
    {facts.map(([name, value]) => (
      <s-stack key={name} direction="inline" gap="small-300">
        <s-text color="subdued">{name}</s-text>
        <s-text>{value}</s-text>
      </s-stack>
    ))}
  </s-stack>
)
