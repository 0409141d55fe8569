import type { ReactNode } from 'react'

/** Says what went wrong, also to screen readers; nothing while it is empty. */
export const Alert = ({ className = '', children }: { className?: string; children: ReactNode }) => (
  <p role="alert" className={`text-13 text-danger empty:hidden ${className}`}>
    {children}
  </p>
)

type NoticeLineProps = { text: string; children?: ReactNode }

export function NoticeLine({ text, children }: NoticeLineProps) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line py-2 text-13"
    >
      <p className="min-w-0 flex-1 basis-48 text-ink-2">{text}</p>
      <span className="flex gap-2">{children}</span>
    </div>
  )
}
