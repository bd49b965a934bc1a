/** Returns the link of an invitation to the console. Browsers do not send the part after `#`, so that no log contains the token. */
export const toInvitationUrl = (baseUrl: string, token: string): string => `${baseUrl}/console#invitation=${token}`;
