'use client'

import Link from 'next/link'
import { type ReactNode, useEffect } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { resumeGenerations } from '@/components/studio/resume'
import type { GenerationKind } from '@/lib/browser/storage/generations'
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

type StudioFrameProps = {
  kind: GenerationKind
  form: ReactNode
  bar: ReactNode
  wall: ReactNode
}

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
