import type { ReactNode } from 'react'

export type Fact = { name: string; value: ReactNode }

/** A few facts as the ledger writes them: the name in words, the value in mono, a line between. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="mt-4 divide-y divide-line border-y border-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
          <dt className="text-13 text-ink-3">{name}</dt>
          <dd className="text-end font-mono text-12 wrap-anywhere">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
