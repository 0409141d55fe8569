'use client'

import { useEffect, useRef, useState } from 'react'
import { useChosenKeys } from '@/components/settings/shortcut-sheet'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { KeyCaps } from '@/components/ui/key-caps'
import { PreferenceSetting, Setting } from '@/components/ui/setting'
import { bindKeys, checkKeys, resetKeys } from '@/lib/browser/rebind-shortcut'
import {
  type CommandId,
  isLetter,
  type Keys,
  keysOf,
  SHORTCUTS,
  type Shortcut,
  strokesOf,
} from '@/lib/browser/shortcuts'
import { t } from '@/lib/i18n/t'

export function KeySettings() {
  const [changing, setChanging] = useState<CommandId>()
  const chosen = useChosenKeys()
  const resetAll = () => {
    resetKeys()
    setChanging(undefined)
    announce(t('All shortcuts reset'))
  }
  return (
    <>
      <PreferenceSetting id="letters" preference="letterKeys" labels={{ on: t('On'), off: t('Off') }} />
      <Setting id="keys" isWide>
        <ul aria-label={t('Keys')} className="rounded-card border border-line">
          {SHORTCUTS.map((shortcut) => (
            <KeyRow
              key={shortcut.id}
              shortcut={shortcut}
              isChanging={changing === shortcut.id}
              onChange={() => setChanging(shortcut.id)}
              onDone={() => setChanging(undefined)}
            />
          ))}
        </ul>
        <Button className="mt-3" disabled={Object.keys(chosen).length === 0} onClick={resetAll}>
          {t('Reset all shortcuts')}
        </Button>
      </Setting>
    </>
  )
}

const SECOND_MS = 900

type KeyRowProps = { shortcut: Shortcut; isChanging: boolean; onChange: () => void; onDone: () => void }

function KeyRow({ shortcut, isChanging, onChange, onDone }: KeyRowProps) {
  const chosen = useChosenKeys()
  const { id, isFixed } = shortcut
  const name = t(shortcut.name)
  const opener = useRef<HTMLButtonElement>(null)
  const done = (message: string) => {
    onDone()
    announce(message)
    requestAnimationFrame(() => opener.current?.focus())
  }
  return (
    <li className="border-b border-line px-3 py-1.5 text-14 last:border-0">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-40 flex-1">{name}</span>
        <KeyCaps keys={keysOf(shortcut, chosen)} />
        {isFixed ? (
          <span className="w-20 text-end text-13 text-ink-3">{t('Fixed')}</span>
        ) : (
          <Button
            ref={opener}
            aria-label={t('Change shortcut for {name}', { name })}
            aria-expanded={isChanging}
            onClick={onChange}
          >
            {t('Change')}
          </Button>
        )}
      </div>
      {isChanging && (
        <Recorder
          shortcut={shortcut}
          isChosen={chosen[id] !== undefined}
          onBind={(keys) => {
            bindKeys(id, keys)
            done(keys === '' ? t('Shortcut for {name} removed', { name }) : t('Shortcut for {name} changed', { name }))
          }}
          onReset={() => {
            resetKeys(id)
            done(t('Shortcut for {name} reset', { name }))
          }}
          onCancel={() => done(t('No changes made'))}
        />
      )}
    </li>
  )
}

type RecorderProps = {
  shortcut: Shortcut
  isChosen: boolean
  onBind: (keys: Keys) => void
  onReset: () => void
  onCancel: () => void
}

/** Listens for keys; they apply only after the conflict with another command was shown. */
function Recorder({ shortcut, isChosen, onBind, onReset, onCancel }: RecorderProps) {
  const chosen = useChosenKeys()
  const [keys, setKeys] = useState<Keys>()
  const field = useRef<HTMLButtonElement>(null)
  const heard = useRef<{ keys: Keys; at: number }>(undefined)
  useEffect(() => field.current?.focus(), [])
  const onKeyDown = (event: React.KeyboardEvent) => {
    // Tab leaves, Escape gives up.
    if (event.key === 'Tab' && !event.ctrlKey && !event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') return onCancel()
    const stroke = strokesOf(event.nativeEvent).at(-1)
    if (stroke === undefined || event.repeat) return
    const before = heard.current
    const isSecond = before !== undefined && isLetter(before.keys) && event.timeStamp - before.at < SECOND_MS
    const pressed = isSecond && isLetter(stroke) ? `${before.keys} ${stroke}` : stroke
    heard.current = isSecond ? undefined : { keys: stroke, at: event.timeStamp }
    setKeys(pressed)
  }
  const check = keys === undefined ? undefined : checkKeys(shortcut.id, keys, chosen)
  return (
    <div className="flex flex-wrap items-center gap-2 pt-1 pb-2">
      <button
        ref={field}
        type="button"
        onKeyDown={onKeyDown}
        className="inline-flex min-h-11 min-w-44 items-center rounded-control border border-control bg-surface px-3 text-13 text-ink-2"
      >
        <span className="sr-only">{t('New shortcut for {name}:', { name: t(shortcut.name) })} </span>
        {keys === undefined ? t('Press the new keys') : <KeyCaps keys={keys} />}
      </button>
      <Button kind="primary" disabled={!check || check.kind === 'refused'} onClick={() => keys && onBind(keys)}>
        {check?.kind === 'conflict' ? t('Reassign shortcut') : t('Save shortcut')}
      </Button>
      <Button onClick={() => onBind('')}>{t('Remove shortcut')}</Button>
      {isChosen && <Button onClick={onReset}>{t('Reset')}</Button>}
      <Button kind="plain" onClick={onCancel}>
        {t('Cancel')}
      </Button>
      <p role="status" className="w-full text-13 text-ink-2 empty:hidden">
        {check?.kind === 'refused' && check.why}
        {check?.kind === 'conflict' &&
          t('Already used by “{name}”. Reassigning removes the shortcut there.', { name: t(check.with.name) })}
      </p>
    </div>
  )
}
