import { Fragment, type ReactNode } from 'react'

/** A name and its value; null or false: it does not apply, and is left out. */
export type Fact = [name: string, value: ReactNode]

/** Names and values of one thing. */
export function FactList({ facts }: { facts: Fact[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== false)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}
