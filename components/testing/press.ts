import { screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { expect } from 'vitest'

/** Clicks a button once it can be clicked: many cannot while something runs. */
export async function press(user: UserEvent, name: string | RegExp): Promise<void> {
  const button = await waitFor(() => {
    const found = screen.getByRole<HTMLButtonElement>('button', { name })
    expect(found.disabled).toBe(false)
    return found
  })
  await user.click(button)
}
