"""What an unknown log states once of its steps."""
def stated_facts(log, speed):
    return []
