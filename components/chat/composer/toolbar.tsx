import { Globe, Lightbulb, Plus, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useRef, useState } from 'react'
import { useHasSearchFailed } from '@/components/chat/asking/answer-store'
import type { Panel } from '@/components/chat/composer/commands'
import { Slot } from '@/components/common/slots'
import { IconButton } from '@/components/ui/button'
import type { useSetup } from '@/lib/browser/chat-setup'
import type { Effort, ModelCard } from '@/lib/browser/models'
import type { Sources } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

const loadPanels = () => import('@/components/chat/composer/toolbar-panels')
const ToolbarPanels = dynamic(() => loadPanels().then((module) => module.ToolbarPanels), { ssr: false })

type ToolbarProps = {
  chatId: string | null
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  models: ModelCard[]
  panel: Panel | undefined
  onPanel: (panel: Panel | undefined) => void
  onPick: () => void
}

export function Toolbar({ chatId, setup, model, models, panel, onPanel, onPick }: ToolbarProps) {
  const add = useRef<HTMLButtonElement>(null)
  const sources = useRef<HTMLButtonElement>(null)
  const think = useRef<HTMLButtonElement>(null)
  const [wasOpened, setWasOpened] = useState(false)
  if (panel && !wasOpened) setWasOpened(true)
  const toggle = (next: Panel) => onPanel(panel === next ? undefined : next)
  const { settings, character, change } = setup
  const isLookingUp = settings.sources !== undefined
  const hasSearchFailed = useHasSearchFailed() && isLookingUp
  const isThinkSet = settings.isThinkingOff === true || settings.effort !== undefined
  const canThink = model?.badges.includes('reasoning') === true
  return (
    <>
      <button
        ref={add}
        type="button"
        aria-label={t('Add to this message')}
        title={t('Add to this message')}
        aria-haspopup="dialog"
        aria-expanded={panel === 'add'}
        onClick={() => toggle('add')}
        onPointerEnter={() => void loadPanels()}
        onFocus={() => void loadPanels()}
        className="relative col-start-1 row-start-2 inline-flex size-10 shrink-0 items-center justify-center rounded-[12px] text-ink-2 transition-colors hover:bg-hover hover:text-ink aria-expanded:bg-hover md:row-start-3 md:size-9 pointer-coarse:size-11"
      >
        <Plus aria-hidden="true" className="size-5" strokeWidth={1.5} />
        {(isLookingUp || isThinkSet) && (
          <span aria-hidden="true" className="absolute end-2 top-2 size-1.5 rounded-chip bg-accent md:hidden" />
        )}
      </button>
      <div
        className={`row-start-3 min-w-0 items-center gap-1 max-md:col-span-3 max-md:pt-1 md:col-start-2 md:flex md:ps-1 ${character ? 'flex' : 'hidden'}`}
      >
        <Tool
          anchor={sources}
          label={sourcesLabel(settings.sources)}
          isSet={isLookingUp}
          isOpen={panel === 'sources'}
          onClick={() => toggle('sources')}
          icon={<Globe className={hasSearchFailed ? 'text-brass' : undefined} />}
          {...(hasSearchFailed && { warning: t('The last web search failed') })}
        />
        {canThink && (
          <Tool
            anchor={think}
            label={thinkLabel(settings.effort, settings.isThinkingOff)}
            isSet={isThinkSet}
            isOpen={panel === 'think'}
            onClick={() => toggle('think')}
            icon={<Lightbulb />}
          />
        )}
        {character && (
          <span className="flex min-w-0 items-center rounded-chip border border-line ps-2 text-13">
            <Slot part="CharacterChip" character={character} />
            <IconButton
              label={t('Remove character')}
              onClick={() => change({ character: null })}
              className="size-8! pointer-coarse:size-11!"
            >
              <X aria-hidden="true" />
            </IconButton>
          </span>
        )}
      </div>
      {wasOpened && (
        <ToolbarPanels
          {...{ chatId, setup, model, models, panel, onPanel, onPick }}
          anchors={{ add, sources, think }}
        />
      )}
    </>
  )
}

type ToolProps = {
  anchor: React.RefObject<HTMLButtonElement | null>
  label: string
  isSet: boolean
  isOpen: boolean
  onClick: () => void
  icon: ReactNode
  warning?: string
}

function Tool({ anchor, label, isSet, isOpen, onClick, icon, warning }: ToolProps) {
  return (
    <button
      ref={anchor}
      type="button"
      title={warning}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={onClick}
      onPointerEnter={() => void loadPanels()}
      onFocus={() => void loadPanels()}
      className={`hidden min-h-8 shrink-0 items-center gap-1.5 rounded-chip px-2.5 text-13 transition-colors hover:bg-hover aria-expanded:bg-hover md:inline-flex pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:stroke-[1.5] ${isSet ? 'bg-accent-soft text-accent' : 'text-ink-2 hover:text-ink'}`}
    >
      {icon}
      {label}
      {warning && <span className="sr-only">. {warning}</span>}
    </button>
  )
}

function sourcesLabel(sources: Sources | undefined): string {
  if (sources?.searchesX) return t('Sources: X')
  if (sources?.web === 'on') return t('Sources: on')
  if (sources?.web === 'auto') return t('Sources: auto')
  return sources?.readsLinks ? t('Sources: links') : t('Sources')
}

function thinkLabel(effort: Effort | undefined, isOff: boolean | undefined): string {
  if (isOff) return t('Thinking: off')
  return effort ? t(EFFORT_LABELS[effort]) : t('Thinking')
}

const EFFORT_LABELS: Record<Effort, string> = {
  minimal: msg('Thinking: minimal'),
  low: msg('Thinking: low'),
  medium: msg('Thinking: medium'),
  high: msg('Thinking: high'),
}
