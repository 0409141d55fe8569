'use client'

import Link from 'next/link'
import { type ReactNode, useEffect } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { lockOf } from '@/components/studio/generation-store'
import { changeGeneration, learnCost, listOpen, purgeGenerations } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { notifyState } from '@/lib/browser/notify'
import { refreshMoney } from '@/lib/browser/queries'
import { type Generation, type GenerationKind, isUnderWay } from '@/lib/browser/storage/generations'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

export const STUDIO_PATHS: Readonly<Record<GenerationKind, string>> = {
  image: '/studio',
  audio: '/studio/audio',
  video: '/studio/video',
}
export const WALL_ID = 'studio-wall'

const TABS: readonly { kind: GenerationKind; name: string }[] = [
  { kind: 'image', name: msg('Image') },
  { kind: 'audio', name: msg('Audio') },
  { kind: 'video', name: msg('Video') },
]

type StudioFrameProps = { kind: GenerationKind; form: ReactNode; bar: ReactNode; wall: ReactNode }

export function StudioFrame({ kind, form, bar, wall }: StudioFrameProps) {
  useEffect(() => {
    // Where storage is forbidden there is nothing to resume, and the wall says so.
    void resumeGenerations().catch(() => undefined)
  }, [])
  return (
    <>
      <TopBar>
        <h1 className="ps-2 pe-1 text-14 font-medium">{t('Studio')}</h1>
        <Tabs kind={kind} className="h-full max-md:hidden" />
      </TopBar>
      {/* A phone's bar has no room for them beside the balance. */}
      <Tabs kind={kind} className="h-11 shrink-0 border-b border-line px-1 md:hidden" />
      {/* Each scrolls what is hidden in it, too: radios outside of it would make the page itself scroll. */}
      <div className="thin-scroll relative min-h-0 flex-1 overflow-y-auto md:grid md:grid-cols-[21rem_minmax(0,1fr)] md:overflow-hidden lg:grid-cols-[24rem_minmax(0,1fr)]">
        <section
          id="studio-form"
          aria-label={t('Generation settings')}
          className="flex min-h-0 flex-col md:border-e md:border-line"
        >
          <div className="thin-scroll relative min-h-0 flex-1 space-y-5 px-4 py-4 md:overflow-y-auto md:overscroll-contain">
            {form}
          </div>
          <div className="z-10 border-t border-line bg-paper px-4 pb-[env(safe-area-inset-bottom)] max-md:sticky max-md:bottom-0 max-md:border-b">
            {bar}
          </div>
        </section>
        <section
          id={WALL_ID}
          aria-label={t('Results')}
          className="max-md:min-h-[calc(100dvh-8rem)] thin-scroll relative min-h-0 md:overflow-y-auto md:overscroll-contain"
        >
          {wall}
        </section>
      </div>
    </>
  )
}

function Tabs({ kind, className }: Pick<StudioFrameProps, 'kind'> & { className: string }) {
  return (
    <nav aria-label={t('Studio')} className={`flex items-stretch ${className}`}>
      {TABS.map((tab) => (
        <Link
          key={tab.kind}
          href={STUDIO_PATHS[tab.kind]}
          prefetch={false}
          aria-current={tab.kind === kind ? 'page' : undefined}
          className="relative inline-flex items-center px-3 text-14 text-ink-2 outline-offset-[-2px] hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:after:absolute aria-[current]:after:inset-x-3 aria-[current]:after:-bottom-px aria-[current]:after:h-0.5 aria-[current]:after:bg-accent"
        >
          {t(tab.name)}
        </Link>
      ))}
    </nav>
  )
}

/** Ends what an earlier page left open, asks for its price, and follows its jobs. */
async function resumeGenerations(): Promise<void> {
  void resumeJobs().catch(() => undefined)
  await purgeGenerations(Date.now() - UNDO_MS)
  const open = await listOpen()
  await Promise.all(open.filter(({ job }) => job === undefined).map(settle))
}

async function settle(generation: Generation): Promise<void> {
  if (!isUnderWay(generation)) return await learnCost(generation, { isAnswered: generation.state === 'done' })
  const isEnded = await navigator.locks.request(lockOf(generation.id), { ifAvailable: true }, async (lock) =>
    lock ? await changeGeneration(generation.id, { state: 'interrupted', endedAt: Date.now() }, ['running']) : false,
  )
  if (isEnded) await learnCost(generation)
}

let isFollowing = false

async function resumeJobs(): Promise<void> {
  const { followJobs } = await import('@/components/studio/jobs/follow')
  if (isFollowing) return
  isFollowing = true
  followJobs({ onEnd: tellEnd })
}

function tellEnd({ id, kind, task, state }: Generation): void {
  refreshMoney()
  const text = endText(task, state)
  announce(text)
  const path = `/studio/${kind}`
  if (document.visibilityState !== 'visible') notify(id, text, path)
  // On its own wall it is seen.
  else if (window.location.pathname !== path) showToast({ text })
}

// A notification shows no prompt: others may see it.
function notify(id: string, text: string, path: string): void {
  if (notifyState() !== 'on') return
  try {
    const shown = new Notification(text, { tag: id, icon: '/icon-192.png' })
    shown.onclick = () => {
      window.focus()
      goTo(path)
      shown.close()
    }
  } catch {
    // Android shows them through a service worker only.
  }
}

function endText(task: Generation['task'], state: Generation['state']): string {
  if (state === 'done') return task === 'video' ? t('Your video is ready.') : t('Your audio is ready.')
  return task === 'video' ? t('Your video could not be generated.') : t('Your audio could not be generated.')
}
