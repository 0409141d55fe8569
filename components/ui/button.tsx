import type { ComponentProps } from 'react'

type ButtonProps = ComponentProps<'button'> & { kind?: keyof typeof KINDS }

/** Classes inside `:where()` have no specificity, so a caller's size, padding and colour win. */
const BASE =
  '[:where(&)]:min-h-9 [:where(&)]:px-3 inline-flex items-center justify-center gap-2 rounded-control font-medium ' +
  'whitespace-nowrap transition-colors disabled:pointer-events-none pointer-coarse:min-h-11'

const KINDS = {
  waiting: '[:where(&)]:text-14 [:where(&)]:text-ink-2 border border-line bg-sunken',
  code: '[:where(&)]:text-12 [:where(&)]:text-ink-3 font-mono hover:bg-hover hover:text-ink',
  primary: '[:where(&)]:text-14 [:where(&)]:text-on-accent bg-accent hover:bg-accent-strong disabled:opacity-55',
  quiet:
    '[:where(&)]:text-14 [:where(&)]:text-ink border border-line bg-surface hover:border-control disabled:opacity-55',
  plain: '[:where(&)]:text-14 [:where(&)]:text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-55',
  inverse: '[:where(&)]:text-14 [:where(&)]:text-paper underline underline-offset-4 hover:no-underline',
}

export function Button({ kind = 'quiet', className = '', type = 'button', ...props }: ButtonProps) {
  return <button type={type} className={`${BASE} ${KINDS[kind]} ${className}`} {...props} />
}

type IconButtonProps = ComponentProps<'button'> & { label: string }

export function IconButton({ label, className = '', type = 'button', ...props }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`inline-flex [:where(&)]:size-9 shrink-0 items-center justify-center rounded-control transition-colors [:where(&)]:text-ink-3 hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-50 pointer-coarse:size-11 [&>svg]:size-[18px] [&>svg]:stroke-[1.5] ${className}`}
      {...props}
    />
  )
}
