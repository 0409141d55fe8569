'use client'

import dynamic from 'next/dynamic'
import { useCallback, useRef, useState } from 'react'
import type { Comparison } from '@/components/studio/image/compare'
import { fillImageDraft } from '@/components/studio/image/draft'
import { PROMPT_ID, tasksWith } from '@/components/studio/image/form'
import { ImageCard } from '@/components/studio/image/image-card'
import { LightboxActions } from '@/components/studio/image/lightbox-actions'
import type { ImageModel } from '@/components/studio/image/models'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { QueuePanel } from '@/components/studio/queue/queue-panel'
import type { Generation } from '@/lib/browser/storage/generations'
import { msg, t } from '@/lib/i18n/t'

const STARTERS = [
  msg('A lighthouse in heavy rain, linocut in two colours'),
  msg('A heron of folded paper, soft light from the left'),
  msg('A kitchen in a tide pool, seen from above, isometric'),
]

const Lightbox = dynamic(() => import('@/components/common/image-lightbox').then((module) => module.ImageLightbox), {
  ssr: false,
})
const CompareSheet = dynamic(() => import('@/components/studio/image/compare').then((module) => module.CompareSheet), {
  ssr: false,
})

/** By then the lightbox is gone, and the page behind it takes the focus again. */
const FOCUS_AFTER_MS = 100
const NONE: readonly Generation[] = []

/** The pictures of this device. */
export function ImageWall({ models }: { models: readonly ImageModel[] }) {
  const [shown, setShown] = useState(NONE)
  const [openedId, setOpenedId] = useState<string>()
  const [comparison, setComparison] = useState<Comparison>()
  // The addresses belong to the tiles; the lightbox borrows those that are there when it opens.
  const addresses = useRef(new Map<string, string>())
  const onAddress = useCallback((id: string, address: string | undefined) => {
    if (address) addresses.current.set(id, address)
    else addresses.current.delete(id)
  }, [])
  const close = () => {
    const opener = document.querySelector<HTMLElement>(`[data-picture="${CSS.escape(openedId ?? '')}"]`)
    setOpenedId(undefined)
    setTimeout(() => opener?.focus(), FOCUS_AFTER_MS)
  }
  const compare = (next: Comparison) => {
    setOpenedId(undefined)
    setComparison(next)
  }
  return (
    <>
      <QueuePanel kind="image" />
      <Wall
        kind="image"
        layout="masonry"
        onShown={setShown}
        empty={
          <EmptyWall title={t('Your images appear here.')}>
            <p>{t('Images stay on this device and in your backups. The service doesn’t keep them.')}</p>
            {tasksWith(models).includes('generate') && <Starters />}
          </EmptyWall>
        }
        render={(creation) => (
          <ImageCard {...{ creation, models, onAddress }} onOpen={setOpenedId} onCompare={compare} />
        )}
      />
      {openedId !== undefined && (
        <Lightbox
          slides={slidesOf(shown, addresses.current)}
          openedId={openedId}
          onClose={close}
          actions={(id) => (
            <LightboxActions {...{ id, shown, models }} onDone={() => setOpenedId(undefined)} onCompare={compare} />
          )}
        />
      )}
      {comparison && <CompareSheet shown={shown} first={comparison} onClose={() => setComparison(undefined)} />}
    </>
  )
}

function slidesOf(shown: readonly Generation[], addresses: ReadonlyMap<string, string>) {
  return shown.flatMap(({ results, prompt }) =>
    results.flatMap(({ id, name }) => {
      const src = addresses.get(id)
      return src ? [{ id, src, alt: prompt || name }] : []
    }),
  )
}

/** Something to begin with, where nothing was made yet. */
function Starters() {
  const take = (prompt: string) => {
    fillImageDraft({ task: 'generate', prompt })
    document.getElementById(PROMPT_ID)?.focus()
  }
  return (
    <ul aria-label={t('Examples')} className="mt-6 flex w-full flex-col gap-2">
      {STARTERS.map((starter) => (
        <li key={starter}>
          <button
            type="button"
            onClick={() => take(t(starter))}
            className="min-h-11 w-full rounded-card border border-line bg-surface px-4 py-2 text-start text-14 text-ink hover:border-control"
          >
            {t(starter)}
          </button>
        </li>
      ))}
    </ul>
  )
}
