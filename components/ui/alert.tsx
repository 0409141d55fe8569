import type { ReactNode } from 'react'

/** Says what went wrong, also to screen readers; nothing while it is empty. */
export const Alert = ({ className = '', children }: { className?: string; children: ReactNode }) => (
  <p role="alert" className={`text-13 text-danger empty:hidden ${className}`}>
    {children}
  </p>
)
