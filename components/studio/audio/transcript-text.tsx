'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { formatLength } from '@/lib/browser/files/limits'
import type { Cue } from '@/lib/contract/audio'
import { plural, t } from '@/lib/i18n/t'

/** Shown at first; a recording of half an hour has some hundreds. */
const FIRST = 12

type TranscriptTextProps = {
  text: string
  captions: readonly Cue[]
  /** Seconds: where the recording is, while it plays. */
  at: number | undefined
  onSeek?: (seconds: number) => void
}

/** The words; with times, part by part, each of which plays from there. */
export function TranscriptText({ text, captions, at, onSeek }: TranscriptTextProps) {
  const [isWhole, setIsWhole] = useState(false)
  if (text === '' && captions.length === 0) {
    return <p className="px-3 pt-3 text-14 text-ink-2">{t('No speech detected.')}</p>
  }
  if (captions.length === 0) {
    return (
      <p dir="auto" className="thin-scroll max-h-96 overflow-y-auto px-3 pt-3 text-16 whitespace-pre-line">
        {text}
      </p>
    )
  }
  const shown = isWhole ? captions : captions.slice(0, FIRST)
  return (
    <div className="px-1 pt-2">
      <ol aria-label={t('Timed transcript')} className="thin-scroll max-h-96 overflow-y-auto">
        {shown.map((one) => (
          <Part key={`${one.start} ${one.end}`} said={one} isNow={isNow(one, at)} {...(onSeek && { onSeek })} />
        ))}
      </ol>
      {shown.length < captions.length && (
        <Button kind="plain" onClick={() => setIsWhole(true)}>
          {plural(captions.length - shown.length, { one: 'Show {count} more', other: 'Show {count} more' })}
        </Button>
      )}
    </div>
  )
}

type PartProps = { said: Cue; isNow: boolean; onSeek?: (seconds: number) => void }

function Part({ said: { text, start }, isNow, onSeek }: PartProps) {
  const time = formatLength(start * 1_000)
  const look = `flex w-full items-baseline gap-3 rounded-control px-2 py-1 text-start ${isNow ? 'bg-accent-soft' : ''}`
  const inner = (
    <>
      <span className="w-10 shrink-0 text-end font-mono text-12 text-ink-3 tabular-nums" dir="ltr">
        {time}
      </span>
      <span dir="auto" className="min-w-0 flex-1 text-16 wrap-anywhere">
        {text}
      </span>
    </>
  )
  return (
    <li aria-current={isNow ? 'true' : undefined}>
      {onSeek ? (
        <button
          type="button"
          title={t('Play from here')}
          onClick={() => onSeek(start)}
          className={`${look} ${isNow ? '' : 'hover:bg-hover'} pointer-coarse:min-h-11`}
        >
          {inner}
        </button>
      ) : (
        <span className={look}>{inner}</span>
      )}
    </li>
  )
}

const isNow = ({ start, end }: Cue, at: number | undefined): boolean => at !== undefined && at >= start && at < end
