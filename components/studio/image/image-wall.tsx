'use client'

import dynamic from 'next/dynamic'
import { useCallback, useRef, useState } from 'react'
import type { Comparison } from '@/components/studio/image/compare'
import { tasksWith } from '@/components/studio/image/form'
import { ImageCard } from '@/components/studio/image/image-card'
import { LightboxActions } from '@/components/studio/image/lightbox-actions'
import type { ImageModel } from '@/components/studio/image/models'
import { Starters } from '@/components/studio/image/starters'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { QueuePanel } from '@/components/studio/queue/queue-panel'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

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
