import type { ComponentProps } from 'react'

type ButtonProps = ComponentProps<'button'> & { kind?: keyof typeof KINDS }

const BASE =
  'inline-flex min-h-9 items-center justify-center gap-2 rounded-control px-3 font-medium whitespace-nowrap ' +
  'transition-colors disabled:pointer-events-none pointer-coarse:min-h-11'

const KINDS = {
  /** Cannot be pressed yet, and says until when. */
  waiting: 'text-14 border border-line bg-sunken text-ink-2',
  /** A short code to copy. */
  code: 'font-mono text-12 text-ink-3 hover:bg-hover hover:text-ink',
  primary: 'text-14 bg-accent text-on-accent hover:bg-accent-strong disabled:opacity-55',
  quiet: 'text-14 border border-line bg-surface text-ink hover:border-control disabled:opacity-55',
  plain: 'text-14 text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-55',
  inverse: 'text-14 text-paper underline underline-offset-4 hover:no-underline',
}

/** A button with words. */
export function Button({ kind = 'quiet', className = '', type = 'button', ...props }: ButtonProps) {
  return <button type={type} className={`${BASE} ${KINDS[kind]} ${className}`} {...props} />
}

type IconButtonProps = ComponentProps<'button'> & { label: string }

/** A button with an icon; `label` is its name and its tooltip. */
export function IconButton({ label, className = '', type = 'button', ...props }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-50 pointer-coarse:size-11 [&>svg]:size-[18px] [&>svg]:stroke-[1.5] ${className}`}
      {...props}
    />
  )
}
