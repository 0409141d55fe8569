'use client'

import { Columns2, Download, Maximize2, MessageSquareShare, Pencil } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import type { Comparison } from '@/components/studio/image/compare'
import { fillImageDraft, PROMPT_ID, workOn } from '@/components/studio/image/draft'
import { tasksWith } from '@/components/studio/image/form'
import { ImageCard } from '@/components/studio/image/image-card'
import type { ImageModel } from '@/components/studio/image/models'
import { saveResult, sendToChat } from '@/components/studio/parts/card'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
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

// By then the lightbox is gone, and the page behind it takes the focus again.
const FOCUS_AFTER_MS = 100
const NONE: readonly Generation[] = []

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
        render={(generation) => (
          <ImageCard
            generation={generation}
            models={models}
            onAddress={onAddress}
            onOpen={setOpenedId}
            onCompare={compare}
          />
        )}
      />
      {openedId !== undefined && (
        <Lightbox
          slides={slidesOf(shown, addresses.current)}
          openedId={openedId}
          onClose={close}
          actions={(id) => (
            <LightboxActions
              id={id}
              shown={shown}
              models={models}
              onDone={() => setOpenedId(undefined)}
              onCompare={compare}
            />
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

type LightboxActionsProps = {
  id: string
  shown: readonly Generation[]
  models: readonly ImageModel[]
  onDone: () => void
  onCompare: (comparison: Comparison) => void
}

function LightboxActions({ id, shown, models, onDone, onCompare }: LightboxActionsProps) {
  const generation = shown.find(({ results }) => results.some((file) => file.id === id))
  const file = generation?.results.find((one) => one.id === id)
  if (!generation || !file) return null
  const tasks = tasksWith(models)
  const other = generation.inputs[0] ?? shown.flatMap(({ results }) => results).find((one) => one.id !== id)
  const leave = (act: () => void) => () => {
    onDone()
    act()
  }
  return (
    <>
      {tasks.includes('edit') && (
        <Action label={t('Edit image')} onClick={leave(() => workOn(file, 'edit'))}>
          <Pencil aria-hidden="true" />
        </Action>
      )}
      {tasks.includes('upscale') && (
        <Action label={t('Upscale image')} onClick={leave(() => workOn(file, 'upscale'))}>
          <Maximize2 aria-hidden="true" />
        </Action>
      )}
      {other && (
        <Action label={t('Compare')} onClick={() => onCompare({ leftId: other.id, rightId: id })}>
          <Columns2 aria-hidden="true" />
        </Action>
      )}
      <Action label={t('Ask in a new chat')} onClick={leave(() => void sendToChat(file))}>
        <MessageSquareShare aria-hidden="true" />
      </Action>
      <Action label={t('Download')} onClick={() => void saveResult(generation, id)}>
        <Download aria-hidden="true" />
      </Action>
    </>
  )
}

type ActionProps = { label: string; onClick: () => void; children: ReactNode }

const Action = ({ label, onClick, children }: ActionProps) => (
  <button type="button" aria-label={label} title={label} onClick={onClick} className="yarl__button">
    {children}
  </button>
)
