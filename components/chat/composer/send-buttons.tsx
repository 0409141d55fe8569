import { ArrowUp, Square } from 'lucide-react'
import { t } from '@/lib/i18n/t'

type SendButtonsProps = {
  isBusy: boolean
  canSend: boolean
  /** Something is written or added. */
  hasDraft: boolean
  onStop: () => void
}

/** Sends, or puts in the queue while an answer is on its way. That can always be stopped. */
export function SendButtons({ isBusy, canSend, hasDraft, onStop }: SendButtonsProps) {
  return (
    <div className="col-start-3 row-start-2 flex items-center gap-1.5 md:row-start-3">
      {isBusy && (
        <button
          type="button"
          aria-label={t('Stop')}
          title={t('Stop (Esc)')}
          onClick={onStop}
          className={`${ROUND} bg-ink text-paper`}
        >
          <Square aria-hidden="true" className="size-3.5 fill-current" />
        </button>
      )}
      {(!isBusy || hasDraft) && (
        <button
          type="submit"
          aria-label={isBusy ? t('Send after this answer') : t('Send')}
          title={isBusy ? t('Send after this answer (Enter)') : t('Send (Enter)')}
          disabled={!canSend}
          className={`${ROUND} bg-accent text-on-accent hover:bg-accent-strong disabled:bg-hover disabled:text-ink-3`}
        >
          <ArrowUp aria-hidden="true" className="size-[18px]" strokeWidth={2} />
        </button>
      )}
    </div>
  )
}

const ROUND =
  'inline-flex size-10 shrink-0 items-center justify-center rounded-[12px] transition-colors pointer-coarse:size-11'
