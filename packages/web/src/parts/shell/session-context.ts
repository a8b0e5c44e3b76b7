import type { SessionFacts } from '@touchstone/protocol';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Who looks at the page, and what they may do; undefined until the host has said so. */
export const SessionContext = createContext<SessionFacts | undefined>(undefined);

export const useSession = (): SessionFacts | undefined => useContext(SessionContext);
