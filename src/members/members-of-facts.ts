import type { StoredFact } from '#kit/outbox'

/** The refs of a fact that say whom it is about. Of a gift they are who pays, who holds the membership, and who held it before. */
export const MEMBER_REFS = ['memberId', 'receiverMemberId', 'formerReceiverMemberId'] as const

/** Whom facts are about, by our numbers; somebody may be there twice. */
export const membersOfFacts = (facts: StoredFact[]): number[] =>
  facts.flatMap(({ refs }) => MEMBER_REFS.flatMap((name) => refs[name] ?? []))
