'use client'

import { ChevronsLeftRight } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { useFileUrl } from '@/components/studio/parts/media'
import { Select } from '@/components/ui/form-fields'
import { WideSheet } from '@/components/ui/modal'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Ids of two files. */
export type Comparison = { leftId: string; rightId: string }

type CompareSheetProps = { shown: readonly Generation[]; first: Comparison; onClose: () => void }

const MAX_OFFERED = 60
const NAME_CHARS = 40

export function CompareSheet({ shown, first, onClose }: CompareSheetProps) {
  const [pair, setPair] = useState(first)
  const offered = offeredOf(shown, first)
  const fileOf = (id: string) => offered.find(({ file }) => file.id === id)?.file
  const options = offered.map(({ file, label }) => ({ value: file.id, label }))
  return (
    <WideSheet title={t('Compare')} onClose={onClose}>
      <Slider left={fileOf(pair.leftId)} right={fileOf(pair.rightId)} />
      <div className="grid shrink-0 grid-cols-2 gap-4 p-4">
        <Side
          label={t('Left')}
          value={pair.leftId}
          options={options}
          onChange={(leftId) => setPair({ ...pair, leftId })}
        />
        <Side
          label={t('Right')}
          value={pair.rightId}
          options={options}
          onChange={(rightId) => setPair({ ...pair, rightId })}
        />
      </div>
    </WideSheet>
  )
}

type SideProps = {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (id: string) => void
}

const Side = ({ label, ...select }: SideProps) => (
  <Select
    {...select}
    aria-label={label}
    className="block min-h-10 w-full min-w-0 appearance-none truncate rounded-control border border-control bg-surface ps-3 pe-8 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
  />
)

function Slider({ left, right }: { left: CreationFile | undefined; right: CreationFile | undefined }) {
  const [share, setShare] = useState(50)
  const [leftUrl, rightUrl] = [useFileUrl(left), useFileUrl(right)]
  const stage = useRef<HTMLDivElement>(null)
  const follow = (event: PointerEvent) => {
    const box = stage.current?.getBoundingClientRect()
    if (!box || (event.type === 'pointermove' && event.buttons === 0)) return
    setShare(Math.max(0, Math.min(100, ((event.clientX - box.left) / box.width) * 100)))
  }
  const layer = 'absolute inset-0 size-full object-contain select-none'
  return (
    <div
      ref={stage}
      // Always the same way round: a picture has no reading direction.
      dir="ltr"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        follow(event)
      }}
      onPointerMove={follow}
      className="relative mx-4 min-h-0 flex-1 cursor-ew-resize touch-none overflow-hidden rounded-card border border-line bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
    >
      {rightUrl && (
        // biome-ignore lint/performance/noImgElement: its bytes are in this browser
        <img
          src={rightUrl}
          alt={right?.name ?? ''}
          draggable={false}
          className={layer}
          // Both may be see-through: neither lies under the other.
          style={{ clipPath: `inset(0 0 0 ${share}%)` }}
        />
      )}
      {leftUrl && (
        // biome-ignore lint/performance/noImgElement: its bytes are in this browser
        <img
          src={leftUrl}
          alt={left?.name ?? ''}
          draggable={false}
          className={layer}
          style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}
        />
      )}
      <div
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-accent"
        style={{ left: `${share}%` }}
      >
        <span className="absolute top-1/2 left-1/2 inline-flex size-9 -translate-1/2 items-center justify-center rounded-chip bg-accent text-on-accent shadow-one">
          <ChevronsLeftRight className="size-5" strokeWidth={1.5} />
        </span>
      </div>
      <input
        type="range"
        aria-label={t('Visible part of the left image')}
        min={0}
        max={100}
        value={Math.round(share)}
        onChange={(event) => setShare(Number(event.target.value))}
        className="pointer-events-none absolute inset-x-0 bottom-0 opacity-0"
      />
    </div>
  )
}

type Offered = { file: CreationFile; label: string }

function offeredOf(shown: readonly Generation[], { leftId, rightId }: Comparison): Offered[] {
  const all = shown.flatMap(({ prompt, inputs, results }): Offered[] => {
    const name = (prompt || results[0]?.name || '').slice(0, NAME_CHARS)
    return [
      ...results.map((file, at) => ({ file, label: results.length > 1 ? `${name} ${at + 1}` : name })),
      ...inputs.map((file) => ({ file, label: t('Before: {name}', { name: file.name }) })),
    ]
  })
  const unique = [...new Map(all.map((one) => [one.file.id, one])).values()]
  const first = unique.filter(({ file }) => file.id === leftId || file.id === rightId)
  return [...new Set([...first, ...unique])].slice(0, MAX_OFFERED)
}
