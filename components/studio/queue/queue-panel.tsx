'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import Link from 'next/link'
import { listJobs } from '@/components/studio/jobs/store'
import { taskName } from '@/components/studio/parts/card'
import { useClock } from '@/components/studio/parts/use-clock'
import { formatLength } from '@/lib/browser/files/limits'
import { type Generation, type GenerationKind, isUnderWay } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const PATH: Readonly<Record<GenerationKind, string>> = {
  image: '/studio',
  audio: '/studio/audio',
  video: '/studio/video',
}

/** What the queue is making for the other tabs of the studio. Nothing where there is nothing: each tab shows its own. */
export function QueuePanel({ kind }: { kind: GenerationKind }) {
  const jobs = useLiveQuery(() => listJobs().catch(() => []), [])
  const others = jobs?.filter((job) => isUnderWay(job) && job.kind !== kind && job.deletedAt === undefined) ?? []
  if (others.length === 0) return null
  return (
    <section aria-label={t('Queue')} className="px-4 pt-4">
      <ul className="mx-auto max-w-200 space-y-1">
        {others.map((job) => (
          <li key={job.id}>
            <Row job={job} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({ job }: { job: Generation }) {
  const { kind, task, prompt, state, startedAt, createdAt } = job
  const now = useClock(true)
  return (
    <Link
      href={PATH[kind]}
      prefetch={false}
      className="flex min-h-10 items-center gap-3 rounded-card border border-line bg-surface px-3 text-13 text-ink-2 hover:border-control pointer-coarse:min-h-11"
    >
      <span aria-hidden="true" className="size-1.5 shrink-0 rounded-chip bg-accent motion-safe:animate-pulse" />
      <span className="shrink-0 font-medium text-ink">{taskName(task)}</span>
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {prompt}
      </span>
      <span className="shrink-0">{state === 'waiting' ? t('Queued') : t('Generating')}</span>
      <span className="shrink-0 font-mono text-12 tabular-nums">
        {formatLength(Math.max(0, now - (startedAt ?? createdAt)))}
      </span>
    </Link>
  )
}
